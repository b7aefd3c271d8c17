/** Imported before anything of the reports is shown. */
import { reports } from '../texts/en/reports.ts';
import { addTexts } from '../texts/texts.ts';

addTexts(reports);
