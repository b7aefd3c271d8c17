import { useEffect, useState } from 'preact/hooks';
import type { VisitorArticle } from '../../contract/widget/widget-protocol.ts';
import { findArticles } from './api.ts';
import { spoken, t } from './texts.ts';

const shortest = 4;
const pauseMs = 500;
/** Of a long message its end: what the visitor is writing about now. */
const longest = 200;

/** For a visitor who has not written yet. */
export function ArticleSearch({ token }: { token: string }) {
  const [text, setText] = useState('');
  return (
    <search class="article-search">
      <input
        type="search"
        value={text}
        maxLength={longest}
        aria-label={t('searchArticles')}
        placeholder={t('searchArticles')}
        autocomplete="off"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Suggestions token={token} text={text} />
    </search>
  );
}

/** Articles of the help center for what the visitor writes. */
export function Suggestions({ token, text }: { token: string; text: string }) {
  const [articles, setArticles] = useState<VisitorArticle[]>([]);
  // Not the second half of a character.
  const q = text
    .trim()
    .slice(-longest)
    .replace(/^[\udc00-\udfff]/, '');
  useEffect(() => {
    if (q.length < shortest || !token) {
      setArticles([]);
      return;
    }
    let isLate = false;
    const timer = setTimeout(() => {
      findArticles(token, q, spoken()).then(
        (found) => isLate || setArticles(found),
        // The visitor can write without them.
        () => {},
      );
    }, pauseMs);
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [q, token]);
  return (
    <div class="suggestions" aria-live="polite">
      {articles.length > 0 && (
        <>
          <p>{t('articles')}</p>
          <ul>
            {articles.map(({ url, title }) => (
              <li key={url}>
                <a href={url} target="_blank" rel="noopener noreferrer">
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
