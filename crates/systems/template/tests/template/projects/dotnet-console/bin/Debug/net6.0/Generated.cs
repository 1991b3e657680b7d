namespace Made; public class Generated { public void A() { } public void B() { } }
