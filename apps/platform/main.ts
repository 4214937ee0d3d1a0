import '../production.ts';

// not imported as the line above: what is, is compiled before the cache of compiled code is in use
await import('./command.ts');
