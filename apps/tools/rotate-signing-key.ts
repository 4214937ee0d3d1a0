import '../production.ts';

// loaded after it, so that they are read from the compile cache
const [{ runAsProcess }, { rotateSigningKey }] = await Promise.all([import('./tool.ts'), import('./rotate-signing-key.tool.ts')]);
await runAsProcess(rotateSigningKey);
