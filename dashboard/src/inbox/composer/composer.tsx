/** Where operators write: replies to the customer, and internal notes. */
import { StickyNote } from 'lucide-react';
import { type ReactNode, Suspense, useId } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { lazyView } from '../../app/lazy-view.tsx';
import { customerName } from '../../texts/customer-name.ts';
import { t, withTexts } from '../../texts/texts.ts';
import { bottomBar } from '../../ui/bottom-bar.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { CollisionHint } from '../conversation/collision-hint.tsx';
import { useCopilotTasks } from '../copilot/copilot-data.ts';
import { useSuggestion } from '../copilot/suggestions.ts';
import { MailEnd, MailFields } from '../mail/mail-fields.tsx';
import { AttachButton } from './attach-button.tsx';
import { EmojiButton } from './emoji-button.tsx';
import { ScheduledList } from './later/scheduled-list.tsx';
import { ReplyBar } from './reply/reply-bar.tsx';
import { setReplyTo } from './reply/reply-to.ts';
import { SavedRepliesButton } from './saved/saved-replies.tsx';
import { SendButton } from './sending/send-button.tsx';
import { UnfilledBar } from './sending/unfilled-bar.tsx';
import { UploadChip } from './upload-chip.tsx';
import { type ComposerState, useComposer } from './use-composer.ts';
import { VoiceRecorder } from './voice-recorder.tsx';
import { type Templates, useTemplates } from './window/use-templates.tsx';
import { type ReplyWindow, useWindow } from './window/use-window.ts';
import { WindowClosed, WindowCountdown } from './window/window-note.tsx';

const CopilotTools = lazyView(
  withTexts('copilot', () => import('../copilot/copilot-tools.tsx')),
  'default',
);
const SuggestionBar = lazyView(
  withTexts('copilot', () => import('../copilot/suggestion-bar.tsx')),
  'default',
);

interface ComposerPartProps {
  session: InboxSession;
  composer: ComposerState;
}

export function Composer({ session, blockedBar }: { session: InboxSession; blockedBar: ReactNode }) {
  const { blocked } = session;
  const composer = useComposer(session);
  const window = useWindow(session);
  const templates = useTemplates(session);
  const { isDropping, isNote, suggestions } = composer;
  return (
    <div ref={bottomBar} className="shrink-0 px-3 pb-3 md:px-4">
      {blocked && blockedBar}
      <CollisionHint sessionId={session.sessionId} />
      <ScheduledList session={session} />
      <div
        className={cx(
          'relative mx-auto flex max-w-3xl flex-col rounded-panel border transition-colors',
          isNote
            ? 'border-note-line bg-note focus-within:border-warning'
            : 'border-line-strong bg-surface focus-within:border-accent',
        )}
      >
        {suggestions.list}
        {isDropping && (
          <div className="absolute inset-0 z-10 flex items-center justify-center rounded-panel border-2 border-dashed border-accent bg-accent-soft font-medium text-accent-ink">
            {t('inbox.compose.drop')}
          </div>
        )}
        <ComposerMode composer={composer} window={window} />
        {window.isClosed && !isNote ? (
          <WindowClosed onTemplate={templates?.open ?? null} />
        ) : (
          <>
            <ComposerFields session={session} composer={composer} />
            <ComposerTools session={session} composer={composer} templates={templates} />
          </>
        )}
      </div>
      {templates?.dialog}
    </div>
  );
}

function ComposerFields({ session, composer }: ComposerPartProps) {
  const { area, change, isNote, mail, onKeyDown, onPaste, replyTo, sending, stopTyping } = composer;
  const { suggestion, suggestions, text, uploads, write } = composer;
  // Also while a note is written: it may be out of date by then.
  const hasSuggestion = useSuggestion(session.sessionId) !== null;
  const barId = useId();
  return (
    <>
      {mail && !isNote && <MailFields reply={mail} />}
      {replyTo && !isNote && (
        <ReplyBar
          session={session}
          message={replyTo}
          onClear={() => {
            setReplyTo(session.sessionId, null);
            area.current?.focus();
          }}
        />
      )}
      <textarea
        ref={area}
        rows={2}
        aria-label={isNote ? t('inbox.compose.note') : t('inbox.compose.reply')}
        aria-describedby={suggestion ? barId : undefined}
        aria-busy={suggestion?.state === 'making' || undefined}
        readOnly={suggestion?.state === 'making'}
        {...suggestions.inputProps}
        placeholder={
          isNote ? t('inbox.compose.toTeam') : t('inbox.compose.toCustomer', { name: customerName(session) })
        }
        value={text}
        data-quiet-focus=""
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={stopTyping}
        className={cx(
          'max-h-60 min-h-12 resize-none py-2 text-md outline-none',
          suggestion ? 'mx-2 mt-2 rounded-t-control bg-(--hue-purple-soft) px-2' : 'bg-transparent px-3',
        )}
      />
      {hasSuggestion && (
        <Suspense>
          <SuggestionBar id={barId} session={session} isNote={isNote} area={area} />
        </Suspense>
      )}
      {mail && !isNote && <MailEnd reply={mail} />}
      {uploads.length > 0 && (
        <div className="flex flex-wrap gap-2 px-3 pb-2">
          {uploads.map((upload) => (
            <UploadChip
              key={upload.id}
              upload={upload}
              onRemove={() => {
                upload.cancel();
                change({ uploads: uploads.filter((one) => one !== upload) });
              }}
            />
          ))}
        </div>
      )}
      {sending.unfilled.length > 0 && <UnfilledBar unfilled={sending.unfilled} onSend={sending.sendAnyway} />}
    </>
  );
}

function ComposerMode({ composer, window }: { composer: ComposerState; window: ReplyWindow }) {
  const { begin, change, isNote, isVisibleToAi, modes } = composer;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-2 pt-2">
      <Segmented
        label={t('inbox.compose.mode')}
        value={isNote ? 'note' : 'reply'}
        onChange={(mode) => begin(mode === 'note')}
        segments={modes.map((value) => ({ value, label: t(`inbox.compose.${value}`) }))}
      />
      {!isNote && <WindowCountdown window={window} />}
      {isNote && (
        <>
          <span className="flex items-center gap-1.5 text-sm font-medium text-warning">
            <StickyNote aria-hidden className="size-3.5" />
            {t('inbox.note.private')}
          </span>
          <span className="flex-1" />
          <Switch
            checked={isVisibleToAi}
            onChange={(isVisibleToAi) => change({ isVisibleToAi })}
            label={t('inbox.note.ai')}
          />
        </>
      )}
    </div>
  );
}

function ComposerTools({
  session,
  composer,
  templates,
}: ComposerPartProps & { templates: Templates | null }) {
  const { addFiles, insert, isNote, sending, takeOver, text } = composer;
  const { canSend, schedule, submit } = sending;
  const tasks = useCopilotTasks();
  return (
    <div className="@container flex flex-wrap items-center gap-0.5 px-2 pb-2">
      <AttachButton onFiles={addFiles} />
      {!isNote && <VoiceRecorder onRecorded={(file) => addFiles([file])} />}
      <EmojiButton onPick={insert} />
      {!isNote && <SavedRepliesButton session={session} text={text} onInsert={insert} />}
      {!isNote && templates?.button}
      {!isNote && tasks.length > 0 && (
        <Suspense>
          <CopilotTools session={session} composer={composer} tasks={tasks} />
        </Suspense>
      )}
      <span className="flex-1" />
      {isNote ? (
        <Button
          tone="primary"
          disabled={!canSend}
          onClick={() => submit()}
          icon={<StickyNote className="size-3.5" />}
          className="bg-warning! hover:bg-warning! hover:brightness-110 dark:text-canvas!"
        >
          {t('inbox.compose.addNote')}
        </Button>
      ) : (
        <SendButton
          session={session}
          canSend={canSend}
          takeOver={takeOver}
          onSend={submit}
          onSchedule={schedule}
        />
      )}
    </div>
  );
}
