/** In the composer: a suggestion for the reply, and other words for what is typed. */
import { Sparkles, WandSparkles } from 'lucide-react';
import type { CopilotRequest, CopilotTask } from '../../../../contract/copilot.ts';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { languageName } from '../../texts/language-name.ts';
import { language, t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../../ui/overlays/menu.tsx';
import { useFilled } from '../composer/saved/use-filled.ts';
import type { ComposerState } from '../composer/use-composer.ts';
import { isOfCustomer, loadedMessages } from '../data/message-data.ts';
import { languagesFor } from './customer-language.ts';
import { makeSuggestion } from './suggestions.ts';

const styles = ['shorter', 'friendlier', 'formal', 'fix'] as const;

interface CopilotToolsProps {
  session: InboxSession;
  composer: Pick<ComposerState, 'area' | 'suggestion' | 'text' | 'typed'>;
  tasks: readonly CopilotTask[];
}

export default function CopilotTools({ session, composer, tasks }: CopilotToolsProps) {
  const { sessionId } = session;
  const { area, suggestion, typed } = composer;
  const text = composer.text.trim();
  const filled = useFilled(session);
  const isMaking = suggestion?.state === 'making';
  const may = (task: CopilotTask) => tasks.includes(task);
  const make = (request: CopilotRequest) => {
    if (isMaking) return;
    void makeSuggestion(sessionId, request, { typed, fill: (text) => filled({ text }) });
    area.current?.focus();
  };
  const suggest = () => make({ task: 'suggest' });
  useShortcut('mod+j', suggest, { label: t('copilot.suggest'), group: 'inbox', enabled: may('suggest') });
  return (
    <>
      {may('suggest') && (
        <IconButton label={t('copilot.suggest')} shortcut="mod+j" disabled={isMaking} onClick={suggest}>
          <Sparkles className="size-4" />
        </IconButton>
      )}
      {(may('rewrite') || may('translate')) && (
        <Menu
          side="top"
          trigger={
            <IconButton label={t('copilot.more')} tip={false} disabled={text === '' || isMaking}>
              <WandSparkles className="size-4" />
            </IconButton>
          }
        >
          {may('rewrite') && (
            <>
              <MenuLabel>{t('copilot.rewrite')}</MenuLabel>
              {styles.map((style) => (
                // The menu gives the focus back to its button first.
                <MenuItem
                  key={style}
                  onSelect={() => setTimeout(() => make({ task: 'rewrite', text, style }))}
                >
                  {t(`copilot.style.${style}`)}
                </MenuItem>
              ))}
            </>
          )}
          {may('rewrite') && may('translate') && <MenuLine />}
          {may('translate') && (
            <TranslateItems
              sessionId={sessionId}
              onChoose={(language) => setTimeout(() => make({ task: 'translate', text, language }))}
            />
          )}
        </Menu>
      )}
    </>
  );
}

function TranslateItems({ sessionId, onChoose }: { sessionId: string; onChoose(language: string): void }) {
  const said = loadedMessages(sessionId)
    .filter(isOfCustomer)
    .map(({ content }) => content);
  return (
    <>
      <MenuLabel>{t('copilot.translate.typed')}</MenuLabel>
      <div className="max-h-48 overflow-y-auto">
        {languagesFor(said, language()).map((one) => (
          <MenuItem key={one} onSelect={() => onChoose(one)}>
            {languageName(one)}
          </MenuItem>
        ))}
      </div>
    </>
  );
}
