import { useEffect, useRef, useState } from 'preact/hooks';
import { icons } from '../icons.tsx';
import { t } from '../texts.ts';
import { Card } from './parts.tsx';
import type { Service } from './service.ts';

/** Drawn, not emoji: not every device has all of them. */
const mouths = [
  'M7.8 17a4.6 4.6 0 0 1 8.4 0',
  'M8.5 16.2a4.4 4.4 0 0 1 7 0',
  'M8.5 15.5h7',
  'M8.5 14.5a4.5 4.5 0 0 0 7 0',
  'M7.5 13.5a4.6 4.6 0 0 0 9 0Z',
] as const;
const names = ['rate1', 'rate2', 'rate3', 'rate4', 'rate5'] as const;

interface RatingProps {
  service: Service;
  resolvedAt: number;
  /** Out of sight for a while, with what was written. */
  isHidden: boolean;
  onHide(): void;
}

/** A choice is stored at once and can be changed as long as the conversation stays resolved. */
export function Rating({ service, resolvedAt, isHidden, onHide }: RatingProps) {
  const [score, setScore] = useState<number | null>(null);
  const [comment, setComment] = useState('');
  const [state, setState] = useState<'asked' | 'rated' | 'said' | 'failed'>('asked');
  const box = useRef<HTMLDivElement>(null);
  const status = useRef<HTMLParagraphElement>(null);
  const isSaying = useRef(false);
  const isChosen = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each resolution
  useEffect(() => {
    isChosen.current = false;
    service.readRating().then(
      (known) => {
        // What was chosen meanwhile is newer.
        if (known.score === null || isChosen.current) return;
        setScore(known.score);
        setComment(known.comment);
        setState(known.comment ? 'said' : 'rated');
      },
      () => {},
    );
  }, [resolvedAt]);
  const send = async (chosen: number, next: 'rated' | 'said') => {
    isChosen.current = true;
    setScore(chosen);
    try {
      await service.rate(chosen, comment.trim());
      setState(next);
      // The comment disappears: its focus moves here.
      if (next === 'said' && box.current?.contains(document.activeElement)) status.current?.focus();
    } catch {
      setState('failed');
    }
  };
  const say = async (chosen: number) => {
    if (isSaying.current) return;
    isSaying.current = true;
    await send(chosen, 'said');
    isSaying.current = false;
  };
  return (
    <div class="offer" ref={box} hidden={isHidden}>
      <Card title={t('rate')}>
        <button type="button" class="tool hide" aria-label={t('hide')} title={t('hide')} onClick={onHide}>
          {icons.close}
        </button>
        <div class="faces" role="radiogroup" aria-label={t('rate')}>
          {mouths.map((mouth, index) => (
            <label key={mouth} title={t(names[index]!)}>
              <input
                type="radio"
                name="score"
                aria-label={t(names[index]!)}
                checked={score === index + 1}
                onChange={() => void send(index + 1, 'rated')}
              />
              <span aria-hidden="true">
                <svg width="28" height="28" viewBox="0 0 24 24" aria-hidden="true">
                  <path d={`M12 21.5a9.5 9.5 0 1 0 0-19 9.5 9.5 0 0 0 0 19ZM9 9.5h.01M15 9.5h.01${mouth}`} />
                </svg>
              </span>
            </label>
          ))}
        </div>
        {score !== null && state !== 'said' && (
          <div class="comment">
            <textarea
              rows={2}
              maxLength={1_000}
              aria-label={t('comment')}
              placeholder={t('comment')}
              value={comment}
              onInput={({ currentTarget }) => setComment(currentTarget.value)}
            />
            {comment.trim() && (
              <div class="actions">
                <button type="button" class="main" onClick={() => void say(score)}>
                  {t('sendComment')}
                </button>
              </div>
            )}
          </div>
        )}
        <p class={state === 'failed' ? 'notice' : 'hint'} role="status" tabIndex={-1} ref={status}>
          {state === 'failed' ? t('failed') : state === 'asked' ? '' : t('rated')}
        </p>
      </Card>
    </div>
  );
}
