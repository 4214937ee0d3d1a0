import '../production.ts';

// loaded after it, so that they are read from the compile cache
const [{ runAsProcess }, { resetAdmin }] = await Promise.all([import('./tool.ts'), import('./reset-admin.tool.ts')]);
await runAsProcess(resetAdmin);
