/** "Connect a channel": a gallery of kinds, then a short form with what to do at the provider. */
import { type ReactNode, useState } from 'react';
import type { ChannelType } from '../../../../../contract/limits.ts';
import { channelTypes } from '../../../../../contract/limits.ts';
import { useMay } from '../../../data/session.ts';
import { t } from '../../../texts/texts.ts';
import { cx } from '../../../ui/class-names.ts';
import { RowIcon } from '../../parts/rows.tsx';
import { Section } from '../../parts/section.tsx';
import { ChannelTypeIcon, channelTypeName } from '../channel-types.tsx';
import { isOffered, type Kind, kinds } from './connector-kinds.tsx';
import { NewConnected } from './new-connected.tsx';
import { NewPlain } from './new-plain.tsx';

type Chosen = { connected: Kind } | { plain: ChannelType } | null;

export default function ConnectPage() {
  const [chosen, setChosen] = useState<Chosen>(null);
  const mayAddress = useMay('webhooks.manage');
  const back = () => setChosen(null);
  if (chosen && 'connected' in chosen) return <NewConnected kind={chosen.connected} onBack={back} />;
  if (chosen) return <NewPlain type={chosen.plain} onBack={back} />;
  return (
    <Section
      parent={{ id: 'channels', label: t('settings.channels') }}
      title={t('channels.new')}
      description={t('connectors.galleryText')}
    >
      <Group isWide title={t('connectors.ready')} text={t('connectors.readyText')}>
        {kinds
          .filter((kind) => isOffered(kind, mayAddress))
          .map((kind) => (
            <Tile
              key={kind.kind}
              icon={kind.icon}
              title={t(`connectors.kind.${kind.kind}`)}
              text={t(`connectors.kindText.${kind.kind}`)}
              onClick={() => setChosen({ connected: kind })}
            />
          ))}
      </Group>
      <Group title={t('connectors.own')} text={t('connectors.ownText')}>
        {channelTypes.map((type) => (
          <Tile
            key={type}
            icon={<ChannelTypeIcon type={type} />}
            title={channelTypeName(type)}
            onClick={() => setChosen({ plain: type })}
          />
        ))}
      </Group>
    </Section>
  );
}

interface GroupProps {
  title: string;
  text: string;
  /** One in a row: its entries have a text of their own. */
  isWide?: boolean;
  children: ReactNode;
}

function Group({ title, text, isWide, children }: GroupProps) {
  return (
    <section className="flex flex-col gap-3">
      <div>
        <h3 className="text-md font-semibold">{title}</h3>
        <p className="text-pretty text-muted">{text}</p>
      </div>
      <ul
        aria-label={title}
        className={cx('grid gap-2 max-[480px]:grid-cols-1', isWide ? 'grid-cols-1' : 'grid-cols-2')}
      >
        {children}
      </ul>
    </section>
  );
}

interface TileProps {
  icon: ReactNode;
  title: string;
  text?: string;
  onClick(): void;
}

const Tile = ({ icon, title, text, onClick }: TileProps) => (
  <li className="flex">
    <button
      type="button"
      onClick={onClick}
      className="flex w-full items-center gap-3 rounded-panel border border-line p-3 text-left transition-colors hover:border-line-strong hover:bg-hover"
    >
      <RowIcon>{icon}</RowIcon>
      <span className="flex min-w-0 flex-col">
        <span className="font-medium">{title}</span>
        {text && <span className="text-pretty text-muted">{text}</span>}
      </span>
    </button>
  </li>
);
