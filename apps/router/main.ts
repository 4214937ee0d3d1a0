import '../production.ts';

// as in apps/platform/main.ts
await import('./command.ts');
