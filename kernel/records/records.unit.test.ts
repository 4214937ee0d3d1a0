import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { expect, test } from 'vitest';
import { PlatformError, ResourceNotFound } from '../errors/errors.ts';
import { definedOnly, onDuplicate, orNotFound } from './records.ts';

test('orNotFound throws ResourceNotFound with the resource and id of a missing record', () => {
  expect(orNotFound({ id: 'ticket_1' }, 'ticket', 'ticket_1')).toEqual({ id: 'ticket_1' });
  expect(() => orNotFound(null, 'ticket', 'ticket_1')).toThrow(new ResourceNotFound('ticket', 'ticket_1'));
  expect(() => orNotFound(undefined, 'ticket', 'ticket_1')).toThrow(ResourceNotFound);
});

test('definedOnly keeps null and false and removes undefined', () => {
  expect(definedOnly({ name: 'a', note: null, active: false, phone: undefined })).toStrictEqual({ name: 'a', note: null, active: false });
});

test('onDuplicate replaces the error of a violated unique constraint by the given error and leaves other errors unchanged', async () => {
  const taken = onDuplicate(() => new PlatformError('DUPLICATE_RESOURCE', 'There is one.'));
  await expect(Promise.reject(new UniqueConstraintViolationException(new Error('23505'))).catch(taken)).rejects.toThrow('There is one.');
  await expect(Promise.reject(new Error('another')).catch(taken)).rejects.toThrow('another');
});
