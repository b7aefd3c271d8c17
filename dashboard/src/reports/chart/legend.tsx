/** Which series there are, with the signs they are drawn with; a press hides one or shows it again. */
import { useId } from 'react';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { hatchPaths, hatchStrength, hatchTile, hatchWidth, isStroked, markerPaths } from './marks.ts';
import type { ChartSeries, PlotKind } from './plot.series.ts';
import type { SeriesLook } from './series-look.ts';

export function Legend({
  kind,
  series,
  hidden,
  onToggle,
  beforeLabel,
  label,
}: {
  kind: PlotKind;
  series: readonly Pick<ChartSeries, 'id' | 'label' | 'look'>[];
  hidden: ReadonlySet<string>;
  onToggle(id: string): void;
  /** What the quiet line of the time before is called, where there is one. */
  beforeLabel?: string;
  label: string;
}) {
  return (
    <ul aria-label={t('reports.legend', { name: label })} className="flex flex-wrap gap-x-1 gap-y-0.5">
      {series.map((one) => (
        <li key={one.id} className="min-w-0">
          <button
            type="button"
            aria-pressed={!hidden.has(one.id)}
            onClick={() => onToggle(one.id)}
            className={cx(
              'flex h-6 max-w-48 items-center gap-1.5 rounded-control px-1.5 text-sm transition-colors hover:bg-hover',
              hidden.has(one.id) ? 'text-faint line-through' : 'text-muted',
            )}
          >
            <span className={cx('flex', hidden.has(one.id) && 'opacity-40')}>
              <Swatch kind={kind} look={one.look} />
            </span>
            <span className="truncate">{one.label}</span>
          </button>
        </li>
      ))}
      {beforeLabel && (
        <li className="flex h-6 items-center gap-1.5 px-1.5 text-sm text-muted">
          <BeforeSwatch />
          {beforeLabel}
        </li>
      )}
    </ul>
  );
}

export function Swatch({ kind, look }: { kind: PlotKind; look: SeriesLook }) {
  const id = useId();
  if (kind === 'bars')
    return (
      <svg aria-hidden="true" width="10" height="10" className="shrink-0 rounded-[2px]">
        <defs>
          <pattern id={id} width={hatchTile} height={hatchTile} patternUnits="userSpaceOnUse">
            <path
              d={hatchPaths[look.hatch]}
              stroke="var(--surface)"
              strokeOpacity={hatchStrength}
              strokeWidth={hatchWidth(look.hatch)}
              strokeLinecap={look.hatch === 'dots' ? 'round' : 'butt'}
            />
          </pattern>
        </defs>
        <rect width="10" height="10" fill={look.color} />
        {look.hatch !== 'plain' && <rect width="10" height="10" fill={`url(#${id})`} />}
      </svg>
    );
  const stroked = isStroked(look.marker);
  return (
    <svg aria-hidden="true" width="20" height="10" className="shrink-0">
      <path d="M 0 5 H 20" stroke={look.color} strokeWidth="2" strokeDasharray={look.dash.join(' ')} />
      <path
        d={markerPaths[look.marker]}
        transform="translate(10 5) scale(3)"
        fill={look.marker === 'ring' ? 'var(--surface)' : stroked ? 'none' : look.color}
        stroke={stroked ? look.color : 'var(--surface)'}
        strokeWidth={stroked ? 0.55 : 0.3}
      />
    </svg>
  );
}

export const BeforeSwatch = () => (
  <svg aria-hidden="true" width="20" height="10" className="shrink-0">
    <path d="M 0 5 H 20" stroke="var(--faint)" strokeWidth="1.5" strokeDasharray="3 4" />
  </svg>
);
