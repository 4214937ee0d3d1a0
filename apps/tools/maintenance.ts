import '../production.ts';

// dynamic imports, so that these modules are read from the compile cache, which the first import enables
const [{ runAsProcess }, { maintain }] = await Promise.all([import('./tool.ts'), import('./maintenance.tool.ts')]);
await runAsProcess(maintain);
