// Saves the built-in functions that the program uses before code of the project is loaded, which may replace them.

const $fs = require("node:fs");
const $path = require("node:path");
const $module = require("node:module");
const $vm = require("node:vm");
const $types = { ...require("node:util/types") };
const $inspect = require("node:util").inspect;
const $fileUrl = require("node:url").pathToFileURL;
const { readFileSync: $read, writeSync: $write, existsSync: $exists, unlinkSync: $unlink } = $fs;
const $exit = process.reallyExit.bind(process);
const $wait = setTimeout, $stopWaiting = clearTimeout;
const { apply: $apply, ownKeys: $ownKeys, construct: $construct } = Reflect;
const {
  is: $is, getPrototypeOf: $proto, getOwnPropertyDescriptor: $descriptor, defineProperty: $define,
  create: $create, freeze: $freeze, assign: $assign, keys: $keys,
} = Object;
const $isArray = Array.isArray, $isInteger = Number.isInteger;
const { stringify: $json, parse: $parse } = JSON;
const $method = (f) => (self, ...rest) => $apply(f, self, rest);
const $getter = (type, name) => $method($descriptor(type.prototype, name).get);
const $has = $method(Object.prototype.hasOwnProperty), $tag = $method(Object.prototype.toString);
const $isInstance = $method(Function.prototype[Symbol.hasInstance]);
const $time = $method(Date.prototype.getTime);
const $source = $getter(RegExp, "source"), $flags = $getter(RegExp, "flags"), $matches = $method(RegExp.prototype.exec);
const $mapSize = $getter(Map, "size"), $mapHas = $method(Map.prototype.has), $mapGet = $method(Map.prototype.get);
const $mapEach = $method(Map.prototype.forEach), $setEach = $method(Set.prototype.forEach);
const $setSize = $getter(Set, "size"), $setHas = $method(Set.prototype.has);
const $weakSet = $method(WeakMap.prototype.set), $weakGet = $method(WeakMap.prototype.get);
const $weakHas = $method(WeakMap.prototype.has);
const $find = $method(String.prototype.indexOf), $slice = $method(String.prototype.slice);
const $split = $method(String.prototype.split), $join = $method(Array.prototype.join);
const $lower = $method(String.prototype.toLowerCase);
const $unbox = {
  Number: $method(Number.prototype.valueOf), String: $method(String.prototype.valueOf),
  Boolean: $method(Boolean.prototype.valueOf), Symbol: $method(Symbol.prototype.valueOf),
  BigInt: $method(BigInt.prototype.valueOf),
};
const $String = String, $Error = Error, $Map = Map, $Set = Set, $Date = Date, $Promise = Promise, $Proxy = Proxy;
const $abs = Math.abs, $power = Math.pow, $iterator = Symbol.iterator, $toPrimitive = Symbol.toPrimitive;
const $then = $method(Promise.prototype.then);
const $isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";
const $push = (list, value) => $define(list, list.length, {
  __proto__: null, value, writable: true, enumerable: true, configurable: true,
});
const $after = (first, list) => {
  const all = [first];
  for (let i = 0; i < list.length; i++) $push(all, list[i]);
  return all;
};
const $includes = (list, value) => {
  for (let i = 0; i < list.length; i++) if ($is(list[i], value)) return true;
  return false;
};

// Only conversions of built-in classes are trusted: a class of the project could convert itself to any value.
const $conversions = [];
for (const type of [Object, Array, String, Number, Boolean, Date, RegExp, Error, Function, Symbol, BigInt, URL, Buffer,
  $proto(Uint8Array), URLSearchParams])
  for (const name of ["valueOf", "toString", $toPrimitive])
    if (type.prototype[name]) $push($conversions, type.prototype[name]);
const $convertsAsUsual = (v) => {
  const own = [v.valueOf, v.toString, v[$toPrimitive]];
  for (let i = 0; i < own.length; i++) if (own[i] !== undefined && !$includes($conversions, own[i])) return false;
  return true;
};
