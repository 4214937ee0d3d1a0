import '../production.ts';

// imported dynamically: static imports would be compiled before the compile cache is enabled
await import('./command.ts');
