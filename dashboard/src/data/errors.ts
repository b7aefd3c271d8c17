import type { HoursUse } from '../../../contract/business-hours.ts';
import { t } from '../texts/texts.ts';

/** An error response of the service. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  /** Of a conflict about an identifier: the contact that has it. */
  readonly contactId: string | undefined;
  /** Of tests that have not passed. */
  readonly cases: { id: string; name: string }[] | undefined;
  /** Of what cannot be deleted: what refers to it. */
  readonly usedBy: HoursUse[] | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    requestId: string,
    { contactId, cases, usedBy }: Pick<Partial<ApiError>, 'contactId' | 'cases' | 'usedBy'> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.contactId = contactId;
    this.cases = cases;
    this.usedBy = usedBy;
  }
}

/** The person who made the request is not signed in any more: it was not sent. */
export class OtherPersonError extends ApiError {
  constructor() {
    super(401, 'UNAUTHORIZED', 'the person is not signed in any more', '');
  }
}

/** The request did not reach the service, or its response was lost. */
export class OfflineError extends Error {}

/** The code of a view is not loaded yet, and there is no network. */
export class OfflineViewError extends Error {}

/** An error that the caller has already explained, in the user's language. */
export class ExplainedError extends Error {}

/** What happened, what it means for the person's data, what to do. */
export function describeError(error: unknown): { title: string; text: string } {
  if (error instanceof OfflineError)
    return { title: t('error.offline.title'), text: t('error.offline.text') };
  if (error instanceof OfflineViewError)
    return { title: t('error.offlineView.title'), text: t('error.offlineView.text') };
  if (error instanceof ExplainedError) return { title: t('error.title'), text: error.message };
  if (error instanceof ApiError) {
    if (error.code === 'RATE_LIMITED')
      return { title: t('error.limited.title'), text: t('error.limited.text') };
    if (error.code === 'FORBIDDEN')
      return { title: t('error.forbidden.title'), text: t('error.forbidden.text') };
    if (error.code === 'ACCOUNT_SUSPENDED')
      return { title: t('error.suspended.title'), text: t('error.suspended.text') };
    if (error.code === 'ADDRESS_NOT_ALLOWED')
      return { title: t('error.forbidden.title'), text: t('error.address') };
    if (error.status === 404) return { title: t('error.missing.title'), text: t('error.missing.text') };
    if (error.code === 'DISK_FULL') return { title: t('error.title'), text: t('error.noRoom') };
    if (error.code === 'BUSY') return { title: t('error.busy.title'), text: t('error.busy.text') };
    if (error.status === 503)
      return { title: t('error.unavailable.title'), text: t('error.unavailable.text') };
    if (error.status >= 500) {
      return { title: t('error.title'), text: t('error.internal.text', { requestId: error.requestId }) };
    }
    return { title: t('error.title'), text: refusal(error) };
  }
  return { title: t('error.view.title'), text: t('error.view.text') };
}

/** The service's messages are English; known codes are translated. */
function refusal({ code, message }: ApiError): string {
  if (code === 'CONTACT_BLOCKED') return t('error.blocked');
  if (code === 'STORAGE_QUOTA') return t('error.storageQuota');
  if (code === 'PAYLOAD_TOO_LARGE') return t('error.tooLarge');
  if (code === 'AGENT_NOT_ALLOWED') return t('error.agentNotAllowed');
  if (code === 'TESTS_FAILED') return t('error.testsFailed');
  if (code === 'RUN_RUNNING') return t('error.runRunning');
  if (message.includes('is one of the most common passwords')) return t('error.commonPassword');
  if (message.endsWith('assword must not be the e-mail address')) return t('error.emailPassword');
  return t('error.refused', { message: sentence(message) });
}

const sentence = (text: string) => {
  const trimmed = text.trim();
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}${/[.!?]$/.test(trimmed) ? '' : '.'}`;
};
