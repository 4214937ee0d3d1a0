import '../production.ts';

// dynamic imports, so that these modules are read from the compile cache, which the first import enables
const [{ runAsProcess }, { resetAdmin }] = await Promise.all([import('./tool.ts'), import('./reset-admin.tool.ts')]);
await runAsProcess(resetAdmin);
