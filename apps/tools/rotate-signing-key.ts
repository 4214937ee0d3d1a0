import '../production.ts';

// imported dynamically, so that these modules come from the compile cache, which production.ts enables
const [{ runAsProcess }, { rotateSigningKey }] = await Promise.all([import('./tool.ts'), import('./rotate-signing-key.tool.ts')]);
await runAsProcess(rotateSigningKey);
