/** Jest types its asymmetric matchers as `any`; these are `unknown`, so that ESLint can check them. */
export const anyText: unknown = expect.any(String);
export const anyNumber: unknown = expect.any(Number);
export const anyList: unknown = expect.any(Array);

export const textWith = (part: string): unknown => expect.stringContaining(part);
export const textLike = (pattern: RegExp): unknown => expect.stringMatching(pattern);
export const having = (fields: Record<string, unknown>): unknown => expect.objectContaining(fields);
