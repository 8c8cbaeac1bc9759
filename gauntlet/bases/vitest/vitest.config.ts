export default { cacheDir: "/tmp/vite" };
