/** Steps in the editor: how one begins, what it needs, and why the service rejected one. */
import type { MacroStep, MacroStepType } from '../../../../contract/macros.ts';
import { ApiError, ExplainedError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { stepNames } from '../step-words.ts';

export interface StepFieldsProps {
  step: MacroStep;
  onChange(step: MacroStep): void;
  /** A step of a rule: nobody runs it, and its texts know more. */
  rule?: { placeholders: readonly string[] };
}

export function checkComplete(steps: readonly MacroStep[]): void {
  const at = steps.findIndex((step) => !isComplete(step));
  if (at < 0) return;
  const name = stepNames[steps[at]!.type]();
  throw new ExplainedError(t('macros.incomplete', { number: at + 1, name }));
}

function isComplete(step: MacroStep): boolean {
  const { type, text = '', addLabelIds = [], removeLabelIds = [], customFields = {}, status } = step;
  if (type === 'reply' || type === 'note') return text.trim() !== '';
  if (type === 'label') return addLabelIds.length + removeLabelIds.length > 0;
  if (type === 'assign') return step.assignedUserId !== undefined || step.teamId !== undefined;
  if (type === 'set_fields') return Object.keys(customFields).length > 0;
  return type !== 'set_status' || status !== undefined;
}

/** The service counts steps from 0 and names them as in the request. */
export function explained(error: unknown): unknown {
  const found = error instanceof ApiError && /^steps\[(\d+)\]\.?(.*)$/.exec(error.message);
  if (!found) return error;
  const [, index, message] = found;
  return new ExplainedError(t('macros.rejected', { number: Number(index) + 1, message: message!.trim() }));
}

export function newStep(type: MacroStepType, kanbanId: string | undefined): MacroStep {
  switch (type) {
    case 'reply':
      return { type, text: '', pauseAi: true };
    case 'note':
      return { type, text: '' };
    case 'assign':
      return { type, assignedUserId: 'me' };
    case 'snooze':
      return { type, snoozeMinutes: 1_440 };
    case 'set_fields':
      return { type, kanbanId, customFields: {} };
    case 'set_status':
      return { type, kanbanId };
    default:
      return { type };
  }
}
