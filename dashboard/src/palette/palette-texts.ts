/** Imported before the palette is shown. It names the sections of the settings, hence their texts. */
import '../settings/settings-texts.ts';
import { palette } from '../texts/en/palette.ts';
import { addTexts } from '../texts/texts.ts';

addTexts(palette);
