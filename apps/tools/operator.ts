import '../production.ts';

// dynamic imports, so that these modules are read from the compile cache, which the first import enables
const [{ runAsProcess }, { operate }] = await Promise.all([import('./tool.ts'), import('./operator.tool.ts')]);
await runAsProcess(operate);
