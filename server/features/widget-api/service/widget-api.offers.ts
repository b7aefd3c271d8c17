/** What the widget offers at a moment, from the channel's settings. */
import type { WidgetService } from '../../../../contract/widget/widget-protocol.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { hoursAt } from '../../business-hours/business-hours.ts';
import type { WidgetOffers } from '../widget-api.settings.sql.ts';
import type { Visitor } from '../widget-api.visitor.ts';

export function serviceOf(widget: WidgetOffers, now: number, isMailConfigured: boolean): WidgetService {
  const { talkToPerson, askFor, askName, askEmail, hours, awayMessage, askRating } = widget;
  const asksNothing = askFor === 'off' || (askName === 'off' && askEmail === 'off');
  return {
    talkToPerson,
    ask: asksNothing ? null : { when: askFor, name: askName, email: askEmail },
    hours: hours && hoursAt(hours, now),
    awayMessage,
    askRating,
    offerTranscript: widget.offerTranscript && isMailConfigured,
  };
}

/** Hours decide about the AI only where the settings say so. */
export function isWithoutAi({ hours, aiHours }: WidgetOffers, isOpen: boolean): boolean {
  if (!hours || aiHours === 'always') return false;
  return isOpen !== (aiHours === 'open');
}

/** Whether this visitor must say who they are before they write. A conversation that has begun is not interrupted. */
export function missingDetail(
  widget: WidgetOffers,
  visitor: Visitor,
  isOpen: boolean,
): 'name' | 'email' | null {
  const { askFor, askName, askEmail } = widget;
  if (askFor === 'off' || visitor.userId !== null) return null;
  if (askFor === 'after_hours' && isOpen) return null;
  if (askName === 'required' && visitor.name === null) return 'name';
  return askEmail === 'required' && visitor.email === null ? 'email' : null;
}

export const detailRequired = (field: 'name' | 'email') =>
  badRequest(`${field} is required before the first message: POST /widget/details`);
