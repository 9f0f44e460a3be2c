// The studio end to end: the real server, a real browser, one after the other. npm run e2e; see README.md.
import "./world.ts";
import "./draw.ts";
import "./find.ts";
import "./numbers.ts";
import "./models.ts";
import "./classes.ts";
import "./people.ts";
import "./trouble.ts";
import "./newcomer.ts";
import "./look.ts";
import "./report.ts";
