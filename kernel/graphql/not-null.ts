import { IsDefined, ValidateIf } from 'class-validator';

/** In an update: the member may be left out and then keeps its value, and it may not be null. */
export const NotNull = (): PropertyDecorator => (target, key) => {
  ValidateIf((_, value) => value !== undefined)(target, key);
  IsDefined({ message: 'must not be null; leave it out to keep it' })(target, key);
};
