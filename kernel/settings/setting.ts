import { z } from 'zod';

/** One setting: its environment variable, its description, and its parser. */
export interface Setting {
  readonly name: string;
  readonly about: string;
  readonly schema: z.ZodType;
  /** The text that is used if the setting is not set. */
  readonly fallback?: string;
  /** Description of the behaviour if the setting is not set and has no fallback. */
  readonly otherwise?: string;
  /** Command-line option, such as `--port`. Secrets have no option, because `ps` would show their values. */
  readonly option?: string;
  /** True if errors must not contain the value. */
  readonly secret?: boolean;
}

/** Returns its argument unchanged. The exact type tells `Config` that a setting with a fallback is never undefined. */
export const setting = <const One extends Setting>(one: One): One => one;

export const wholeNumber = (from: number, to: number) =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= from && Number(text) <= to, `must be a whole number from ${from} to ${to}`)
    .transform(Number);
export const flag = z.enum(['0', '1'], 'must be 1 or 0').transform((text) => text === '1');
export const text = z.string();

export const url = (protocols: readonly string[], example: string) =>
  text.refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), `must be a URL such as ${example}`);

/** Parses a list of numbers of days, such as `3,7,14`. It has at most `max` numbers, each greater than the previous number. */
export const dayList = (max: number) =>
  z
    .string()
    .refine((value) => {
      const days = value.split(',').map(Number);
      const isRising = days.every((day, index) => Number.isInteger(day) && day > (days[index - 1] ?? 0) && day <= 365);
      return value === '' || (/^\d{1,3}(,\d{1,3})*$/.test(value) && days.length <= max && isRising);
    }, `must be at most ${max} rising numbers of days from 1 to 365, such as 3,7,14`)
    .transform((value) => (value === '' ? [] : value.split(',').map(Number)));
