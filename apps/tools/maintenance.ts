import '../production.ts';

// imported dynamically, so that these modules come from the compile cache, which production.ts enables
const [{ runAsProcess }, { maintain }] = await Promise.all([import('./tool.ts'), import('./maintenance.tool.ts')]);
await runAsProcess(maintain);
