import '../production.ts';

// imported dynamically, so that these modules come from the compile cache, which production.ts enables
const [{ runAsProcess }, { resetAdmin }] = await Promise.all([import('./tool.ts'), import('./reset-admin.tool.ts')]);
await runAsProcess(resetAdmin);
