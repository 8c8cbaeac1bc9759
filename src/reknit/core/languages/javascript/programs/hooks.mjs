// Loads modules: the text of the job, and TypeScript by the project's own tools.

import { readFileSync, statSync } from "node:fs";
import * as modules from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

let job;
export async function initialize(data) { job = data; }

const ENDS = [".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs", ".json"];
const ENVIRONMENT = '{"MODE":"production","PROD":true,"DEV":false,"SSR":true,"BASE_URL":"/"}';
const isFile = (file) => { try { return statSync(file).isFile(); } catch { return false; } };
const isForeign = (file) => file.includes("/node_modules/");

function existing(file) {
  if (isFile(file)) return file;
  const script = /^(.*)\.([cm]?)jsx?$/.exec(file);
  const candidates = script ? [`${script[1]}.${script[2]}ts`, `${script[1]}.${script[2]}tsx`] : [];
  for (const end of ENDS) candidates.push(file + end);
  for (const end of ENDS) candidates.push(path.join(file, "index" + end));
  return candidates.find(isFile);
}

export async function resolve(specifier, context, next) {
  if (specifier === job.url) return { url: job.url, format: "module", shortCircuit: true };
  const parent = context.parentURL === job.url ? job.place : context.parentURL ?? "";
  context = { ...context, parentURL: context.parentURL && parent };
  if (!/^(\.{0,2}\/|file:)/.test(specifier) || !parent.startsWith("file:")) return next(specifier, context);
  const asked = new URL(specifier, parent), file = fileURLToPath(asked);
  if (isForeign(file)) return next(specifier, context);
  const found = existing(file);
  return next(found ? pathToFileURL(found).href + asked.search : specifier, context);
}

function tool(name) {
  for (const ways of [[], ["vite"], ["vitest", "vite"], ["tsx"], ["ts-jest"], ["tsup"]])
    try {
      let require = modules.createRequire(path.join(job.root, "index.js"));
      for (const way of ways) require = modules.createRequire(require.resolve(way));
      return require(name);
    } catch { /* it is not installed there */ }
  return undefined;
}

function settings() {
  try { return readFileSync(path.join(job.root, "tsconfig.json"), "utf8"); } catch { return "{}"; }
}

async function byEsbuild(esbuild, text, file) {
  const options = { loader: path.extname(file).replace(/^\.[cm]?/, ""), format: "esm", target: "es2022" };
  try { return (await esbuild.transform(text, { ...options, tsconfigRaw: settings() })).code; }
  catch { return (await esbuild.transform(text, options)).code; }
}

async function translated(text, file) {
  const esbuild = tool("esbuild");
  if (esbuild) return byEsbuild(esbuild, text, file);
  const typescript = tool("typescript");
  if (typescript) {
    const compilerOptions = { module: 99, target: 9, jsx: 4, experimentalDecorators: true, esModuleInterop: true };
    return typescript.transpileModule(text, { compilerOptions, fileName: file }).outputText;
  }
  if (modules.stripTypeScriptTypes) return modules.stripTypeScriptTypes(text, { mode: "transform" });
  throw new Error("nothing here translates TypeScript");
}

async function sourceOf(text, file) {
  const source = /\.([cm]?ts|[jt]sx)$/.test(file) ? await translated(text, file) : text;
  const asks = job.runner === "vitest" && source.includes("import.meta.env");
  return asks ? `import.meta.env ??= ${ENVIRONMENT};${source}` : source;
}

export async function load(url, context, next) {
  if (url === job.url) return { format: "module", source: await sourceOf(job.text, job.at), shortCircuit: true };
  const file = url.startsWith("file:") ? fileURLToPath(url) : "";
  if (!file || isForeign(file)) return next(url, context);
  if (file.endsWith(".json"))
    return { format: "module", source: `export default ${readFileSync(file, "utf8")}`, shortCircuit: true };
  const isScript = /\.([cm]?ts|[jt]sx|m?js)$/.test(file);
  const text = isScript ? readFileSync(file, "utf8") : "";
  const isModule = !/\.js$/.test(file) || context.format === "module" || /^\s*(?:import|export)\b[^(.]/m.test(text);
  if (!isScript || !isModule) return next(url, context);
  return { format: "module", source: await sourceOf(text, file), shortCircuit: true };
}
