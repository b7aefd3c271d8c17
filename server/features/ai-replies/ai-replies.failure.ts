/** The message in the chat when a reply could not be made. The team reads it; customers never see system messages. */

const text = 'The assistant could not answer. A colleague needs to take over this conversation.';

export function failureMessage(reason: string): string {
  return `${text}\nReason: ${reason}`;
}

/** The same for a model, without the reason: it may be the provider's text, which a reply must not repeat. */
export function withoutReason(content: string): string {
  return content.startsWith(`${text}\n`) ? text : content;
}
