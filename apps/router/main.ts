import '../production.ts';

// dynamic, as in apps/platform/main.ts
await import('./command.ts');
