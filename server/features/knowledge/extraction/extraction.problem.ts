/** Why a document has no text. */
export type ProblemCode = 'no_text' | 'protected' | 'too_large' | 'timeout' | 'broken';

/** The message is for people. */
export class ExtractionProblem extends Error {
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}
