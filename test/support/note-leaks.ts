/** Replies that say what stands in a note, in each way that the guard must recognise. */
export const note =
  'Customer threatened to sue us last spring, offer at most 12,500 euros. Reach her lawyer at law@harsh.example or https://harsh.example/case/77.';

export const noteLeaks: readonly (readonly [what: string, reply: string])[] = [
  ['a run of words', 'I see that you threatened to sue us last spring, so…'],
  ['the same run in another case, with other signs', 'THREATENED — to sue; us, last Spring!'],
  ['a number', 'We can pay 12500.'],
  ['a number written another way', 'Up to 12.500,00 then'],
  ['a number with blanks', 'Up to 12 500 then'],
  ['an e-mail address', 'Ask Law@Harsh.example.'],
  ['a web address', 'See harsh.example/case/77'],
  ['a web address with more behind it', 'See https://www.harsh.example/case/77/files.'],
  ['a run with invisible characters in it', 'threat\u00ADened to\u200B sue us last spring'],
];
