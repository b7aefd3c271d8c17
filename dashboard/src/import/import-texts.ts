/** Imported before anything of imports and exports is shown. */
import { importing } from '../texts/en/import.ts';
import { addTexts } from '../texts/texts.ts';

addTexts(importing);
