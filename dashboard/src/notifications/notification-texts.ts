/** Imported before anything about notifications is shown. */
import { notifications } from '../texts/en/notifications.ts';
import { addTexts } from '../texts/texts.ts';

addTexts(notifications);
