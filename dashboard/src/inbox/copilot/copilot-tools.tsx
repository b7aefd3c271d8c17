/** In the composer: a suggestion for the reply. */
import { Sparkles } from 'lucide-react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { useFilled } from '../composer/saved/use-filled.ts';
import type { ComposerState } from '../composer/use-composer.ts';
import { makeSuggestion } from './suggestions.ts';

interface CopilotToolsProps {
  session: InboxSession;
  composer: Pick<ComposerState, 'area' | 'suggestion' | 'typed'>;
}

export default function CopilotTools({ session, composer }: CopilotToolsProps) {
  const { area, suggestion, typed } = composer;
  const filled = useFilled(session);
  const isMaking = suggestion?.state === 'making';
  const suggest = () => {
    if (isMaking) return;
    const fill = (text: string) => filled({ text });
    void makeSuggestion(session.sessionId, { task: 'suggest' }, { typed, fill });
    area.current?.focus();
  };
  useShortcut('mod+j', suggest, { label: t('copilot.suggest'), group: 'inbox' });
  return (
    <IconButton label={t('copilot.suggest')} shortcut="mod+j" disabled={isMaking} onClick={suggest}>
      <Sparkles className="size-4" />
    </IconButton>
  );
}
