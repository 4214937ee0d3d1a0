import '../production.ts';

// loaded after it, so that they are read from the compile cache
const [{ runAsProcess }, { maintain }] = await Promise.all([import('./tool.ts'), import('./maintenance.tool.ts')]);
await runAsProcess(maintain);
