import '../production.ts';

// loaded after it, so that they are read from the compile cache
const [{ runAsProcess }, { operate }] = await Promise.all([import('./tool.ts'), import('./operator.tool.ts')]);
await runAsProcess(operate);
