/** What each release changed. */
import type { Static } from 'typebox';
import { Type } from './shapes/type.ts';

export const Release = Type.Object({
  version: Type.String({ examples: ['v1.7.232'] }),
  date: Type.String({ description: 'YYYY-MM-DD.', examples: ['2026-11-16'] }),
  changes: Type.Array(Type.String(), {
    description: 'What users notice, one sentence or two each. Code is in backticks.',
  }),
});
export type Release = Static<typeof Release>;

export const ReleaseList = Type.Object({
  items: Type.Array(Release, { description: 'The newest release first.' }),
});
export type ReleaseList = Static<typeof ReleaseList>;
