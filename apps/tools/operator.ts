import '../production.ts';

// imported dynamically, so that these modules come from the compile cache, which production.ts enables
const [{ runAsProcess }, { operate }] = await Promise.all([import('./tool.ts'), import('./operator.tool.ts')]);
await runAsProcess(operate);
