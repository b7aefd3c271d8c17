/** In the menus of a message and of a conversation. */
import { Languages } from 'lucide-react';
import { t } from '../../texts/texts.ts';
import { MenuItem } from '../../ui/overlays/menu.tsx';
import { toggleTranslated, translateAll, useAllTranslated, useTranslated } from './translated.ts';

const icon = <Languages className="size-4" />;

export function TranslateMessageItem({ sessionId, messageId }: { sessionId: string; messageId: string }) {
  const isShown = useTranslated(sessionId, messageId);
  return (
    <MenuItem icon={icon} onSelect={() => toggleTranslated(sessionId, messageId)}>
      {isShown ? t('copilot.translate.hide') : t('copilot.translate.message')}
    </MenuItem>
  );
}

export function TranslateAllItem({ sessionId }: { sessionId: string }) {
  const isAll = useAllTranslated(sessionId);
  return (
    <MenuItem icon={icon} onSelect={() => translateAll(sessionId, !isAll)}>
      {isAll ? t('copilot.translate.none') : t('copilot.translate.all')}
    </MenuItem>
  );
}
