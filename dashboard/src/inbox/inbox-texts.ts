/** Imported before anything of the inbox is shown. */
import { inbox } from '../texts/en/inbox.ts';
import { addTexts } from '../texts/texts.ts';

addTexts(inbox);
