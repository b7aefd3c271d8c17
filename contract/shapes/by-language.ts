/** A text in several languages. */
import { Type } from './type.ts';

/** The keys are language tags: the rules check them with the texts. */
export const byLanguage = (description: string, example: { [language: string]: string }) =>
  Type.Record(Type.String(), Type.String(), { description, examples: [example] });
