import { z } from 'zod';

/** One setting: its environment variable, its description, and its parser. */
export interface Setting {
  readonly name: string;
  readonly about: string;
  readonly schema: z.ZodType;
  /** The text used if the setting is not set. */
  readonly fallback?: string;
  /** Describes what happens if the setting is not set and there is no fallback. */
  readonly otherwise?: string;
  /** Command-line option, such as `--port`. Secrets have none, because `ps` would show them. */
  readonly option?: string;
  /** True if errors must not repeat the value. */
  readonly secret?: boolean;
}

/** Preserves the type of each setting, so that one with a fallback is never undefined in Config. */
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
