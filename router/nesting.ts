import { Lexer, Source, TokenKind } from 'graphql';

/**
 * Maximum nesting of brackets of any kind in a document. The planner supports 48 levels. Recursive functions of
 * graphql-js overflow the stack at about 1,500 levels.
 */
export const MAX_NESTING = 40;

export const NESTED_TOO_DEEPLY = `The document is nested more than ${MAX_NESTING} levels deep.`;

/**
 * Returns true if brackets are nested more deeply than `limit`. Only the first `tokens` tokens are read.
 * @throws GraphQLError if a token is invalid
 */
export function isNestedBeyond(limit: number, text: string, tokens: number): boolean {
  const lexer = new Lexer(new Source(text));
  let open = 0;
  for (let count = 0; count < tokens; count += 1) {
    const { kind } = lexer.advance();
    if (kind === TokenKind.EOF) return false;
    if (OPENING.has(kind)) open += 1;
    else if (CLOSING.has(kind)) open -= 1;
    if (open > limit) return true;
  }
  return false;
}

const OPENING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);
