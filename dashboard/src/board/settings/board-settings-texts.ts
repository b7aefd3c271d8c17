/** Imported before anything of a board's settings is shown. */
import { boardSettings } from '../../texts/en/board-settings.ts';
import { addTexts } from '../../texts/texts.ts';

addTexts(boardSettings);
