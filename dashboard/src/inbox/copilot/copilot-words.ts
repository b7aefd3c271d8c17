import { ApiError, describeError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';

/** What went wrong, and what to do. */
export function copilotProblem(error: unknown): string {
  const { code, message } = error instanceof ApiError ? error : { code: '', message: '' };
  if (code === 'RATE_LIMITED') return t('copilot.error.limited');
  if (code === 'MODEL_REQUIRED') return t('copilot.error.noModel');
  if (code === 'COPILOT_OFF') return t('copilot.error.off');
  if (code === 'NOTHING_FOUND') return t('copilot.error.nothing');
  if (code === 'SUGGESTION_HELD') return t('copilot.error.held');
  if (code === 'MODEL_FAILED') return t('copilot.error.model', { reason: message });
  if (code === 'CUT_OFF' || code === 'INTERNAL') return t('copilot.error.cutOff');
  return describeError(error).text;
}
