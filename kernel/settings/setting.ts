import { z } from 'zod';

/** One setting: its name in the environment, what it does, and how its text is read. */
export interface Setting {
  readonly name: string;
  readonly about: string;
  readonly schema: z.ZodType;
  /** The text that is read where nothing is set. */
  readonly fallback?: string;
  /** What happens without it, where there is no fallback text. */
  readonly otherwise?: string;
  /** Its option on the command line, `--port`. What only other secrets are worth has none: `ps` would list it. */
  readonly option?: string;
  /** Its value is never repeated in an error. */
  readonly secret?: boolean;
}

/** Keeps the type of each, so that a setting with a fallback is never undefined in Config. */
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
