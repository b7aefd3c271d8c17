/** What can be done with one message: react, reply to it, quote, copy its text or a link to it. */
import { Copy, FlaskConical, Link2, MoreHorizontal, Quote, Reply, Trash2 } from 'lucide-react';
import { type KeyboardEvent, lazy, Suspense, useState } from 'react';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { useMay } from '../../data/session.ts';
import { t, withTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { copyText } from '../../ui/controls/copy-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/overlays/menu.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { requestInsert, requestReply } from '../composer/insert-request.ts';
import { TranslateMessage } from '../copilot/copilot-parts.tsx';
import { deleteMessage, reactTo } from '../data/message-actions.ts';
import { MailMenuItems } from '../mail/mail-menu.tsx';
import { isGone } from './marks/message-marks.tsx';
import { quoted } from './quote.ts';

const MakeTest = lazy(withTexts('settings', () => import('./make-test.tsx')));

const emojis = ['👍', '❤️', '😂', '🙏', '🎉', '✅'];

/** Types of channels whose customers see no reactions; no quoted messages. A mail that is replied to begins its thread. */
const withoutReactions: readonly string[] = ['sms', 'email'];
const withoutQuotes: readonly string[] = ['sms'];

interface MessageActionsProps {
  message: Message;
  sessionId: string;
  channelType: string;
  isTabStop?: boolean;
}

type MessageOf = Pick<MessageActionsProps, 'message' | 'sessionId'>;

export function MessageActions(props: MessageActionsProps) {
  const { message, sessionId, channelType, isTabStop = false } = props;
  // A note must not reach the customer by mistake, neither as a quote nor through a reaction.
  const isSaid = !message.isNote;
  const mayReply = useMay('conversations.reply');
  const mayNote = useMay('notes.write');
  const canAnswer = mayReply && isSaid && !isGone(message);
  const hasText = message.content.trim() !== '';
  const may = useMay('privacy.manage');
  const mayTest = useMay('agents.manage') && message.role === 'assistant' && message.agentId !== null;
  const [isAsked, setAsked] = useState(false);
  const [isTesting, setTesting] = useState(false);
  return (
    <>
      <Menu
        trigger={
          <IconButton
            size="small"
            tip={false}
            label={t('composer.message.actions')}
            data-message-menu=""
            tabIndex={isTabStop ? 0 : -1}
            onKeyDown={moveBetween}
            className="opacity-0 group-hover/message:opacity-100 focus-visible:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-60"
          >
            <MoreHorizontal className="size-3.5" />
          </IconButton>
        }
      >
        {canAnswer && !withoutReactions.includes(channelType) && (
          <ReactionItems message={message} sessionId={sessionId} />
        )}
        {canAnswer && !withoutQuotes.includes(channelType) && (
          <MenuItem
            icon={<Reply className="size-4" />}
            // The menu gives the focus back to its button first.
            onSelect={() => setTimeout(() => requestReply(sessionId, message))}
          >
            {t('composer.message.reply')}
          </MenuItem>
        )}
        {(mayReply || mayNote) && isSaid && hasText && (
          <MenuItem
            icon={<Quote className="size-4" />}
            onSelect={() => setTimeout(() => requestInsert(sessionId, quoted(message.content)))}
          >
            {t('composer.message.quote')}
          </MenuItem>
        )}
        <TranslateMessage sessionId={sessionId} message={message} />
        {mayTest && (
          <MenuItem icon={<FlaskConical className="size-4" />} onSelect={() => setTesting(true)}>
            {t('inbox.makeTest')}
          </MenuItem>
        )}
        <MailMenuItems message={message} sessionId={sessionId} />
        {hasText && (
          <MenuItem
            icon={<Copy className="size-4" />}
            onSelect={() => void copy(message.content, t('composer.message.copied'))}
          >
            {t('composer.message.copy')}
          </MenuItem>
        )}
        {may && !message.isNote && !isGone(message) && (
          <MenuItem danger icon={<Trash2 className="size-4 text-danger" />} onSelect={() => setAsked(true)}>
            {t('inbox.message.delete')}
          </MenuItem>
        )}
        <MenuItem
          icon={<Link2 className="size-4" />}
          onSelect={() => void copy(linkTo(sessionId, message.id), t('composer.message.linkCopied'))}
        >
          {t('composer.message.link')}
        </MenuItem>
      </Menu>
      {isAsked && <DeleteMessage message={message} sessionId={sessionId} onClose={() => setAsked(false)} />}
      {isTesting && message.agentId && (
        <Suspense>
          <MakeTest
            message={message}
            sessionId={sessionId}
            agentId={message.agentId}
            onClose={() => setTesting(false)}
          />
        </Suspense>
      )}
    </>
  );
}

function DeleteMessage({ message, sessionId, onClose }: MessageOf & { onClose(): void }) {
  const confirm = () => {
    onClose();
    void deleteMessage(sessionId, message);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('inbox.message.delete.title')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="danger" onClick={confirm}>
            {t('inbox.message.delete')}
          </Button>
        </>
      }
    >
      <p>{t('inbox.message.delete.text')}</p>
    </Dialog>
  );
}

function ReactionItems({ message, sessionId }: MessageOf) {
  return (
    <>
      <div className="flex">
        {emojis.map((emoji) => (
          <MenuItem
            key={emoji}
            checked={message.reactions.includes(emoji)}
            label={t('composer.message.react', { emoji })}
            isCompact
            onSelect={() => void reactTo(sessionId, message, emoji)}
          >
            {emoji}
          </MenuItem>
        ))}
      </div>
      <MenuLine />
    </>
  );
}

const linkTo = (sessionId: string, messageId: string) =>
  `${location.origin}/app/inbox/${encodeURIComponent(sessionId)}?message=${encodeURIComponent(messageId)}`;

async function copy(text: string, done: string): Promise<void> {
  if (await copyText(text)) toast.done(done);
  else toast.show(t('ui.copyFailed'));
}

/** The arrows go from message to message; Enter and Space open the menu. */
function moveBetween(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
  const all = [...document.querySelectorAll<HTMLElement>('[data-message-menu]')];
  const next = all[all.indexOf(event.currentTarget) + (event.key === 'ArrowUp' ? -1 : 1)];
  event.preventDefault();
  next?.focus();
}
