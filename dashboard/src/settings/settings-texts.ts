/** Imported before anything of the settings is shown. */
import { settingsTexts } from '../texts/en/settings-all.ts';
import { addTexts } from '../texts/texts.ts';

addTexts(settingsTexts);
