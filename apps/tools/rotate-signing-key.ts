import '../production.ts';

// dynamic imports, so that these modules are read from the compile cache, which the first import enables
const [{ runAsProcess }, { rotateSigningKey }] = await Promise.all([import('./tool.ts'), import('./rotate-signing-key.tool.ts')]);
await runAsProcess(rotateSigningKey);
