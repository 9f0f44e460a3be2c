// The page without a server end to end, from disk, in a real browser: what is tested with a server, and what it has alone.
// npm run e2e:page; see README.md.
import "./world.ts";
import "./alone.ts";
import "./draw.ts";
import "./find.ts";
import "./numbers.ts";
import "./models.ts";
import "./classes.ts";
import "./people.ts";
import "./trouble.ts";
import "./newcomer.ts";
import "./look.ts";
