/** Imported before anything of the settings is shown. */
import { enLater } from '../texts/en/later.ts';
import { addTexts } from '../texts/texts.ts';

addTexts(enLater);
