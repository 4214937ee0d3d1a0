import '../production.ts';

// a dynamic import: static imports are compiled before the compile cache is enabled
await import('./command.ts');
